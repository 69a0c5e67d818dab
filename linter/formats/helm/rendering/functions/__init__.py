"""The functions that Helm templates can call: those of Go's text/template, of Sprig, and of Helm itself."""
