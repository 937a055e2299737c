import type { NodeType } from '@tandem/campaign-contract';
import type { BatchContext } from '@tandem/jobs';
import { ShareTimeoutError } from '@tandem/process';
import type { Tx } from '../../../handler.ts';
import { suppressingDigests } from '../../suppressions/address.ts';
import type { TemplateContent } from '../../templates/render.ts';
import { storableText } from '../../templates/storable-text.ts';
import type { Channel, Outgoing, Rendered } from './channel.ts';
import { type HeldBack, type MessageContent, originOf } from './contents.ts';
import { emailChannel } from './email-channel.ts';
import { isLimited, limitOutcomes, lockLimits } from './limits.ts';
import { linksOf } from './message-links.ts';
import { endOf, openAt, outcomeOf, placeOf, postponed, remember, sent, skipped } from './message-outcomes.ts';
import { type Claim, claimMessages, type MessageRow, readMessages } from './message-rows.ts';
import type { Outcome } from './outcome.ts';
import { reasonsNotToSend, suppressedOutcomes } from './reasons.ts';
import { threadsBusy } from './retry.ts';
import { readSenders } from './sender.ts';
import { smsChannel } from './sms-channel.ts';
import type { Locale, SendTools, ToSend } from './to-send.ts';

const channels: Partial<Record<NodeType, Channel>> = { email: emailChannel, sms: smsChannel };

/** The means of a batch before the transaction that ends it: queries, waiting without a connection, further transactions. */
export type Batch = Pick<BatchContext<unknown, Tx>, 'tx' | 'outside' | 'transaction'>;

/** Those of the nodes that send messages. */
export function outgoingOf(all: readonly ToSend[]): Outgoing[] {
  return all.flatMap((one) => {
    const channel = channels[one.node.type];
    return channel ? [{ ...one, channel }] : [];
  });
}

/**
 * Sends the messages of several executions. Every reason not to send is checked right before; then each message is claimed
 * in a transaction of its own, so that no other run, and no run after a crash, sends it again.
 * @returns the outcome by execution
 */
export async function sendMessages(
  tools: SendTools,
  { tx, outside, transaction }: Batch,
  reached: readonly Outgoing[],
): Promise<Map<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  if (!reached.length) return outcomes;
  const places = reached.map(({ due, node }) => ({
    executionId: due.executionId,
    nodeId: node.nodeId,
    leadId: due.leadId,
  }));
  const earlier = await readMessages(tx, places);
  const senders = await readSenders(
    tx,
    reached.map(({ due }) => due.campaignId),
  );
  const all = reached.map((one) => ({
    ...one,
    sender: senders.get(one.due.campaignId ?? 0),
    isRetry: (earlier.get(one.due.executionId)?.attempts ?? 0) > 0,
  }));
  const reasons = await reasonsNotToSend(tools, tx, all, earlier);
  const contents = await byChannel(all, (channel, group) => channel.readContents(tools, tx, group));
  const wanted = all.filter((one) => {
    const { executionId } = one.due;
    const reason = reasons.get(executionId) ?? reasonOfContent(one, contents.get(executionId));
    if (reason) outcomes.set(executionId, reason);
    return !reason;
  });
  const counted: Outgoing[] = [];
  for (const [channel, group] of Map.groupBy(wanted, (one) => one.channel)) {
    const paced = await channel.pace(tools, tx, group);
    counted.push(...paced.counted);
    for (const { one, until, reason } of paced.later)
      outcomes.set(one.due.executionId, postponed(openAt(one, until), reason));
  }
  const { claimed, limited } = await claimWithin(
    transaction,
    tx,
    counted,
    counted.map((one) => {
      const recipient = one.channel.addressOf(one.facts.lead) as string;
      const digests = suppressingDigests(tools, one.channel.name, recipient);
      const { executionId, wake } = one.due;
      return { ...placeOf(one), wake, recipient, digests, ...originOf(contents.get(executionId)) };
    }),
  );
  const rowOf = new Map(claimed.map((row) => [row.executionId, row]));
  // Reading contents and pacing take time, in which recipients unsubscribe.
  const unclaimed = counted.filter(({ due }) => !rowOf.has(due.executionId));
  const suppressed = await suppressedOutcomes(tools, tx, unclaimed);
  const locale = await localeOf(tools, counted[0]);
  await outside(async () => {
    await Promise.all(
      counted.map(async (one) => {
        const row = rowOf.get(one.due.executionId);
        const content = contents.get(one.due.executionId);
        const isClaimed = row && content && 'content' in content;
        outcomes.set(
          one.due.executionId,
          isClaimed
            ? await sendOne(tools, one, row, locale, content.content)
            : (limited.get(one.due.executionId) ?? suppressed.get(one.due.executionId) ?? { is: 'paused' }),
        );
      }),
    );
  });
  return outcomes;
}

/**
 * Claims messages. The limits that several batches could exceed together are checked again, in the transaction of the claim
 * and under locks.
 */
async function claimWithin(
  transaction: Batch['transaction'],
  tx: Tx,
  all: readonly Outgoing[],
  claims: readonly Claim[],
): Promise<{ claimed: MessageRow[]; limited: ReadonlyMap<number, Outcome> }> {
  if (!all.some(isLimited)) return { claimed: await claimMessages(tx, claims), limited: new Map() };
  return transaction(async () => {
    await lockLimits(tx, all);
    const limited = await limitOutcomes(tx, all);
    const allowed = claims.filter(({ executionId }) => !limited.has(executionId));
    return { claimed: await claimMessages(tx, allowed), limited };
  });
}

/** A template that cannot be used, or a test for which the lead waits. */
function reasonOfContent(one: Outgoing, content: MessageContent | HeldBack | undefined): Outcome | undefined {
  if (!content) return skipped(one, 'template_deleted');
  return 'until' in content ? postponed(content.until, content.reason) : undefined;
}

async function byChannel<T>(
  all: readonly Outgoing[],
  read: (channel: Channel, group: readonly Outgoing[]) => Promise<Map<number, T>>,
): Promise<Map<number, T>> {
  const found = new Map<number, T>();
  for (const [channel, group] of Map.groupBy(all, (one) => one.channel))
    for (const [executionId, value] of await read(channel, group)) found.set(executionId, value);
  return found;
}

async function sendOne(
  tools: SendTools,
  one: Outgoing,
  row: MessageRow,
  locale: Locale,
  source: TemplateContent,
): Promise<Outcome> {
  const links = linksOf(tools, one.channel, one, row);
  let rendered: Rendered;
  try {
    rendered = await one.channel.render(tools, one, source, { locale, links });
  } catch (error) {
    if (error instanceof ShareTimeoutError)
      return {
        ...threadsBusy(),
        message: endOf(one, { status: 'queued', error: 'The rendering of templates was busy' }),
      };
    const [line] = (error as Error).message.split('\n');
    const text = storableText(`The content cannot be rendered: ${line}`.slice(0, 500));
    return { is: 'failed', input: {}, error: text, message: endOf(one, { status: 'failed', error: text }) };
  }
  const { subject, input, missing, skipReason } = rendered;
  if (missing.length) return skipped(one, 'missing_value', { ...input, missing: missing.join(', ') });
  if (skipReason !== undefined) return skipped(one, skipReason, input);
  if (one.due.environment === 'sandbox') return sent(one, row, { input, subject, simulated: true });
  const attempt = await one.channel.deliver(tools, { one, row, rendered, locale, links });
  remember(row.id, attempt);
  return outcomeOf(one, row, attempt, input, subject);
}

/** Reads the values of the tenant for the texts of messages. */
export async function localeOf({ settingsOf }: SendTools, one: ToSend | undefined): Promise<Locale> {
  if (!one) return { locale: 'en', tenantName: '' };
  const { tenantId, environment } = one.due;
  const settings = await settingsOf({ tenantId, environment, requestId: `workflow-${one.due.workflowId}` });
  return { locale: settings?.locale ?? 'en', tenantName: settings?.name ?? 'Tandem' };
}
