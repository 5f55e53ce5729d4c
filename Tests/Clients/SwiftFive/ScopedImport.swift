import APIKitLite
import ClashingNames

import struct APIKitLite.RetryPolicy

// The import of a single name makes that name ours in the whole file.

func standardPolicy() -> RetryPolicy { .standard }
