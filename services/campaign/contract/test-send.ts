import { email, id } from '@tandem/contract';
import { z } from 'zod';

const recipientsMax = 10;

/** The fields that the test sends of campaigns and of templates share. */
export const testSend = {
  body: z.object({
    to: z
      .array(email())
      .min(1, { error: 'Must name at least one address' })
      .max(recipientsMax, { error: `Must name at most ${recipientsMax} addresses` })
      .meta({ description: 'The recipients', examples: [['ada@example.com']] }),
    leadId: id('lead').describe('The lead whose values are used; by default those of a sample person').optional(),
  }),
  reply: z.object({ queued: z.int().meta({ description: 'The number of messages to send', examples: [1] }) }),
  errors: { mail_limit: [429, 'The tenant has sent as many messages as it may today; try again tomorrow'] },
} as const;
