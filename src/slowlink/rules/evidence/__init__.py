"""What rules of several families begin with: findings, messages, readings and words for them."""
