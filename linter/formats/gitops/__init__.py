"""Objects by which cluster controllers deploy applications: Argo CD, Flux, Crossplane, K3s."""
