// A hashing worker that cannot even be loaded, as after a bundler left out what it imports.
throw new Error('cannot be loaded')
