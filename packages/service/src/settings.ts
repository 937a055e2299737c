import { isEncryptionKey, secretSetting, storeSettings } from '@tandem/process';
import { z } from 'zod';

/** Settings of every service; a service extends them with its own. */
export const serviceSettings = z.object({
  ...storeSettings,
  /** Encrypts stored secrets: 32 bytes in base64 per value. */
  ENCRYPTION_KEY: secretSetting(isEncryptionKey),
});

export type ServiceSettings = z.output<typeof serviceSettings>;
