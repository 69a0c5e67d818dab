"""The functions that Helm's templates call: those of Go's text/template, of the library sprig, and Helm's own."""
