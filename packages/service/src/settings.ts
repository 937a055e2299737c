import { isEncryptionKey, secretSetting, storeSettings } from '@tandem/process';
import { z } from 'zod';

/** The settings every service has; a service extends them with its own. */
export const serviceSettings = z.object({
  ...storeSettings,
  /** Encrypts stored secrets: 32 bytes in base64 for each value. */
  ENCRYPTION_KEY: secretSetting(isEncryptionKey),
});

export type ServiceSettings = z.output<typeof serviceSettings>;
