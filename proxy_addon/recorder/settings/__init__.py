"""What a recorder is told: its options, read and checked before anything heavy is imported."""
