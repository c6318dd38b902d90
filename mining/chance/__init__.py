"""What chance makes: null models, thresholds, significance, and what stands out from them."""
