import { hasLengthOfKey, secretSetting } from '@tandem/process';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';
import { readSigningKeys } from './tokens.ts';

/** Settings of identity in addition to the common service settings. */
export const identitySettings = serviceSettings.extend({
  /** HMAC keys for the hashes of API keys and e-mail addresses in the lookup tables. */
  KEY_PEPPER: secretSetting(hasLengthOfKey),
  IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
  /** Private keys that sign access tokens: RSA PEMs of at least 2048 bits; `\n` may replace line breaks. */
  JWT_PRIVATE_KEY: secretSetting((pem) =>
    isSigningKey(pem) ? undefined : 'Each value must be the PEM of an RSA private key with at least 2048 bits',
  ),
});

export type IdentitySettings = z.output<typeof identitySettings>;

function isSigningKey(pem: string): boolean {
  try {
    return readSigningKeys(pem).length === 1;
  } catch {
    return false;
  }
}
