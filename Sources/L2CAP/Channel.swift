/// The fixed channels.
