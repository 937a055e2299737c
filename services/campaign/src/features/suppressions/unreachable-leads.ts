import type { Tools, Tx } from '../../handler.ts';
import type { LeadRecord } from '../engine/facts.ts';
import type { GraphNode } from '../engine/graph.ts';
import type { Channel } from './address.ts';
import { suppressedAddresses } from './suppressed.ts';

const channels: readonly Channel[] = ['email', 'sms'];
const addressOf = (lead: LeadRecord, channel: Channel) => (channel === 'email' ? lead.email : lead.phone) || undefined;

/**
 * The leads that no message of these nodes may reach, because their addresses are suppressed. Nodes without messages
 * concern everybody. A pause of the lead ends, so it does not count.
 */
export async function unreachableLeads(
  tools: Pick<Tools, 'seal'>,
  tx: Tx,
  nodes: readonly GraphNode[],
  leads: readonly LeadRecord[],
): Promise<Set<number>> {
  const used = channels.filter((channel) => nodes.some(({ type }) => type === channel));
  const suppressed = new Map<Channel, Awaited<ReturnType<typeof suppressedAddresses>>>();
  for (const channel of used) {
    const addresses = leads.flatMap((lead) => addressOf(lead, channel) ?? []);
    suppressed.set(channel, await suppressedAddresses(tools, tx, { channel }, addresses));
  }
  const stateOf = (lead: LeadRecord, channel: Channel): 'free' | 'suppressed' | 'without_address' => {
    const address = addressOf(lead, channel);
    if (address === undefined) return 'without_address';
    const reason = suppressed.get(channel)?.get(address);
    return reason === undefined || reason === 'paused' ? 'free' : 'suppressed';
  };
  return new Set(
    leads.flatMap((lead) => {
      const states = used.map((channel) => stateOf(lead, channel));
      return states.includes('suppressed') && !states.includes('free') ? [lead.id] : [];
    }),
  );
}
