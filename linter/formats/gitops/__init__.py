"""Objects by which controllers of clusters deploy other things: Argo CD, Flux, Crossplane, K3s."""
