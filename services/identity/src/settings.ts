import { createPrivateKey } from 'node:crypto';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

/** The settings of identity beside those of every service. */
export const identitySettings = serviceSettings.extend({
  /** Keys and addresses are stored as HMACs under it; a new one makes every API key worthless. */
  KEY_PEPPER: z.string().min(32, 'Must have at least 32 characters'),
  IDS_ALPHABET: z.string().length(62, 'Must hold each of the 62 letters and digits once'),
  /** PEM of an RSA key of 2048 or more bits; `\n` may stand for line ends, which some platforms cannot store. */
  JWT_PRIVATE_KEY: z
    .string()
    .transform((pem) => pem.replaceAll('\\n', '\n'))
    .refine(isRsaKey, { error: 'Must be the PEM of an RSA private key' }),
});

export type IdentitySettings = z.output<typeof identitySettings>;

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
