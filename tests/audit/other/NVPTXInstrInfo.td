// Another version of the backend: it is refused together with the first one.
