import type { StoredEvent } from '@tandem/integrations-contract';
import type { z } from 'zod';
import type { Event } from '../../generated/client.ts';

/** Converts a row to the contract's `StoredEvent`, from the body sent to webhooks. */
export function asStoredEvent({ id, type, createdAt, body }: Event): z.output<typeof StoredEvent> {
  return { id, type, createdAt, data: JSON.parse(Buffer.from(body).toString()).data };
}
