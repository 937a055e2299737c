import { secret, timestamp } from '@tandem/contract';
import { z } from 'zod';

const graceSecondsMax = 604_800;

export const Secret = secret(
  z.string().meta({
    description: 'The secret that signs deliveries',
    examples: ['whsec_dGhpcyBpcyBvbmx5IGFuIGV4YW1wbGUgc2VjcmV0ISE='],
  }),
);

export const PreviousSecretExpiresAt = timestamp()
  .nullable()
  .meta({
    description: 'The time until which deliveries are also signed with the previous secret',
    examples: ['2026-03-05T16:40:12.000Z'],
  });

/** The body of a secret rotation. */
export const SecretRotation = z.object({
  graceSeconds: z
    .int({ error: `Must be a whole number from 0 to ${graceSecondsMax}` })
    .min(0, 'Must be at least 0')
    .max(graceSecondsMax, `Must be at most ${graceSecondsMax}`)
    .describe('The number of seconds for which deliveries are also signed with the old secret')
    .default(86_400),
  secret: secret(
    z
      .string({ error: 'Must be 24 to 64 bytes in base64' })
      .max(100, 'Must be 24 to 64 bytes in base64')
      .refine(isSecret, 'Must be 24 to 64 bytes in base64')
      .describe('A custom secret: 24 to 64 random bytes in base64. Without it the platform generates one.')
      .optional(),
  ),
});

// 24 to 64 bytes are 32 to 86 base64 characters, plus padding.
const secretForm = /^(?:whsec_)?([A-Za-z0-9+/]{32,86})=*$/;

/** Whether a text is 24 to 64 bytes in base64, with or without the `whsec_` prefix. */
function isSecret(given: string): boolean {
  const base64 = secretForm.exec(given)?.[1];
  if (base64 === undefined) return false;
  // One remaining character encodes no whole byte; atob() would throw.
  if (base64.length % 4 === 1) return false;
  const bytes = atob(base64);
  // Unused bits of the last character must be zero; otherwise two texts would represent the same secret.
  return btoa(bytes).startsWith(base64) && bytes.length >= 24 && bytes.length <= 64;
}
