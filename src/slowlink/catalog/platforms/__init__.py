"""What is known of cloud platforms and the plug-ins that come with them."""
