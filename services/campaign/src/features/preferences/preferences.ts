import type { Preferences } from '@tandem/campaign-contract';
import { topicsMax } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { type Contact, pausedUntil, unsubscribedTopics } from './contact.ts';
import type { ContactLink } from './contact-links.ts';

/** The choices of a person, for the address of the link, and whether each known channel is open. */
export async function readPreferences(
  tools: Pick<Tools, 'seal' | 'ids'>,
  tx: Tx,
  link: ContactLink,
  contacts: readonly Contact[],
): Promise<z.output<typeof Preferences>> {
  const availableTopics = await tx.topic.findMany({
    where: { public: true },
    orderBy: { name: 'asc' },
    take: topicsMax,
    select: { id: true, name: true, description: true },
  });
  const channels: z.output<typeof Preferences>['channels'] = {};
  for (const contact of contacts) channels[contact.channel] = !(await unsubscribedTopics(tools, tx, contact)).has(null);
  const unsubscribed = await unsubscribedTopics(tools, tx, link);
  const codeOf = (id: number) => tools.ids.encode('topic', link.tenantId, id);
  return {
    channels,
    topics: Object.fromEntries(availableTopics.map(({ id }) => [codeOf(id), !unsubscribed.has(id)])),
    availableTopics,
    pauseUntil: await pausedUntil(tools, tx, link),
  };
}
