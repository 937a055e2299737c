import type { Unsubscribed } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { unsubscribedTopics } from './contact.ts';
import type { ContactLink } from './contact-links.ts';

/** What the link of a message applies to, and whether the address still gets messages. */
export async function unsubscribeState(
  tools: Pick<Tools, 'seal'>,
  tx: Tx,
  link: ContactLink,
): Promise<z.output<typeof Unsubscribed>> {
  const { channel, address, topicId } = link;
  const select = { id: true, name: true, description: true } as const;
  const topic = topicId === null ? null : await tx.topic.findFirst({ where: { id: topicId }, select });
  const unsubscribed = await unsubscribedTopics(tools, tx, link);
  return {
    channel,
    address: hidden(address),
    topic,
    unsubscribedFromTopic: topic !== null && unsubscribed.has(topic.id),
    unsubscribedFromAll: unsubscribed.has(null),
  };
}

function hidden(address: string): string {
  const at = address.lastIndexOf('@');
  return at > 0 ? `${address.slice(0, 1)}***${address.slice(at)}` : `***${address.slice(-3)}`;
}
