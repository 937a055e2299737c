import type { StoredEvent } from '@tandem/integrations-contract';
import type { z } from 'zod';
import type { Event } from '../../generated/client.ts';

/** A stored event as the contract shows it: the body that webhooks got. */
export function asStoredEvent({ id, type, createdAt, body }: Event): z.output<typeof StoredEvent> {
  return { id, type, createdAt, data: JSON.parse(Buffer.from(body).toString()).data };
}
