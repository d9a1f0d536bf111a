"""Settings of the kernels that run the notebooks, in place of those of the user."""

c = get_config()  # noqa: F821 - IPython defines it
c.IPKernelApp.log_level = 40  # errors; kernels of this machine need no encryption
c.InlineBackend.figure_formats = {"retina"}
