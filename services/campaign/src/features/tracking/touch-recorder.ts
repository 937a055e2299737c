import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { messageEngaged } from '@tandem/campaign-contract';
import type { InTenant } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { isAutomated } from './automated.ts';
import { engage, type MessageDeed } from './engage.ts';
import type { MessageKey } from './tracking-links.ts';

/** An open or a click, as a request reports it. */
export interface Touch {
  type: 'email_open' | 'link_click';
  url?: string;
  userAgent: string | undefined;
}

type Received = Touch & { messageId: number; at: Date };
/** Whether each touch was made by software; none for one of an unknown message. */
type Stored = ReadonlyMap<Received, boolean>;
type Within = InTenant<Tx, typeof messageEngaged>;

// Requests wait this long for others of the tenant, and no longer than until the transaction before theirs has ended.
const gatherMs = 10;
const batchMax = 500;
// Everybody who has a link can repeat it, so repetitions within this time are one deed.
const onceMs = 60_000;

/**
 * Returns a function that records an open or a click, and once it is stored resolves to whether software made it, undefined
 * for an unknown message. Those of a tenant that arrive
 * shortly after one another share a transaction: after a large send they come by the thousand.
 */
export function touchRecorder(tools: Pick<Tools, 'ids'>) {
  const gathering = new Map<string, { touches: Received[]; stored: Promise<Stored> }>();
  const storing = new Map<string, Promise<Stored>>();

  async function store(
    key: string,
    touches: readonly Received[],
    within: Within,
    scope: Omit<MessageKey, 'messageId'>,
  ) {
    await Promise.all([delay(gatherMs), storing.get(key)?.catch(() => undefined)]);
    gathering.delete(key);
    const stored = within(scope, (inside) => record(inside, tools, touches));
    storing.set(key, stored);
    try {
      return await stored;
    } finally {
      if (storing.get(key) === stored) storing.delete(key);
    }
  }

  return (within: Within, { messageId, ...scope }: MessageKey, touch: Touch): Promise<boolean | undefined> => {
    const received = { ...touch, messageId, at: new Date() };
    const key = `${scope.tenantId}/${scope.environment}`;
    const open = gathering.get(key);
    if (open && open.touches.length < batchMax) {
      open.touches.push(received);
      return open.stored.then((results) => results.get(received));
    }
    const touches = [received];
    const batch = { touches, stored: store(key, touches, within, scope) };
    gathering.set(key, batch);
    return batch.stored.then((results) => results.get(received));
  };
}

export type RecordTouch = ReturnType<typeof touchRecorder>;

async function record(
  inside: Parameters<typeof engage>[0],
  tools: Pick<Tools, 'ids'>,
  touches: readonly Received[],
): Promise<Stored> {
  const ids = [...new Set(touches.map(({ messageId }) => messageId))];
  const rows = await inside.tx.message.findMany({ where: { id: { in: ids } }, select: { id: true, sentAt: true } });
  const sentAt = new Map(rows.map((row) => [row.id, row.sentAt]));
  const automated = new Map<Received, boolean>();
  for (const touch of touches) {
    const sent = sentAt.get(touch.messageId);
    if (sent !== undefined) automated.set(touch, isAutomated({ ...touch, sentAt: sent }));
  }
  const deeds = [...automated].map(([{ messageId, type, at, url = null }, byMachine]) =>
    withSource({ messageId, type, at, url, automated: byMachine }),
  );
  await engage(inside, tools, deeds);
  return automated;
}

/** A scanner does not take the place of the person who follows it. */
function withSource(deed: MessageDeed): MessageDeed {
  const { messageId, type, url, automated, at } = deed;
  const parts = [messageId, type, url, automated, Math.floor(at.getTime() / onceMs)];
  return { ...deed, sourceId: `touch-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}` };
}
