import { hasLengthOfKey, secretSetting } from '@tandem/process';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';
import { readSigningKeys } from './tokens.ts';

/** The settings of identity beside those of every service. */
export const identitySettings = serviceSettings.extend({
  /** The keys of the HMACs that stand for API keys and e-mail addresses in the look-up tables. */
  KEY_PEPPER: secretSetting(hasLengthOfKey),
  IDS_ALPHABET: z.string().length(62, 'Must hold each of the 62 letters and digits once'),
  /** Signs access tokens: PEMs of RSA keys of 2048 or more bits; `\n` may stand for line ends. */
  JWT_PRIVATE_KEY: secretSetting((pem) =>
    isSigningKey(pem) ? undefined : 'Must have PEMs of RSA private keys of 2048 or more bits',
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
