import { type Attempt, nextAttempt } from '@tandem/mail';
import { dayOf, nextMidnight, startOfDay } from '@tandem/time-zones';
import type { Tools, Tx } from '../../../handler.ts';
import { contactToken, oneClickUrl, preferencesUrl, unsubscribeUrl } from '../../preferences/contact-links.ts';
import { type Composed, composeMessage } from '../../rendering/compose.ts';
import { suppressedAddresses } from '../../suppressions/suppressed.ts';
import type { TemplateContent } from '../../templates/render.ts';
import type { Facts } from '../facts.ts';
import { dataOf, type GraphNode } from '../graph.ts';
import type { Ready } from '../read-batch.ts';
import { openFrom } from '../timing.ts';
import { dataFor, type HeldBack, type MessageContent, originOf, readContents } from './contents.ts';
import { claimMessages, countSent, type MessageEnd, type MessageRow, readMessages } from './message-rows.ts';
import type { Outcome } from './outcome.ts';
import { withinDailyLimit } from './pace.ts';
import { fromHeader } from './sender.ts';

/** An e-mail node that an execution has reached. */
export interface ToSend {
  due: Ready;
  node: GraphNode;
  /** The number of the step, the same when it is repeated. */
  step: number;
  facts: Facts;
}

export type SendTools = Pick<Tools, 'mailer' | 'tracking' | 'publicUrl' | 'seal' | 'settingsOf' | 'ids' | 'renderer'>;

// A message that cannot be sent within this time after its first attempt fails.
const sendHours = 72;
// Attempts whose result could not be stored, by message: the next run stores the result instead of calling it uncertain.
const unrecorded = new Map<number, Attempt>();
const unrecordedMax = 10_000;

/**
 * Sends the e-mails of several executions. Every reason not to send is checked right before; then each message is claimed
 * in a transaction of its own, so that no other run, and no run after a crash, sends it again.
 * @returns the outcome by execution
 */
export async function sendEmails(
  tools: SendTools,
  tx: Tx,
  outside: <T>(work: () => Promise<T>) => Promise<T>,
  all: readonly ToSend[],
): Promise<Map<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  if (!all.length) return outcomes;
  const places = all.map(({ due, node }) => ({
    executionId: due.executionId,
    nodeId: node.nodeId,
    leadId: due.leadId,
  }));
  const earlier = await readMessages(tx, places);
  const reasons = await reasonsNotToSend(tools, tx, all, earlier);
  const contents = await readContents(tools, tx, all);
  const wanted = all.filter((one) => {
    const { executionId } = one.due;
    const reason = reasons.get(executionId) ?? reasonOfContent(one, contents.get(executionId));
    if (reason) outcomes.set(executionId, reason);
    return !reason;
  });
  const counted = await withinDailyLimit(tools, tx, wanted);
  for (const one of wanted.slice(counted.length)) outcomes.set(one.due.executionId, tomorrow(one, 'daily_limit'));
  const claimed = await claimMessages(
    tx,
    counted.map((one) => ({
      ...placeOf(one),
      recipient: one.facts.lead.email,
      ...originOf(contents.get(one.due.executionId)),
    })),
  );
  const rowOf = new Map(claimed.map((row) => [row.executionId, row]));
  const locale = await localeOf(tools, counted[0]);
  await outside(async () => {
    await Promise.all(
      counted.map(async (one) => {
        const row = rowOf.get(one.due.executionId);
        const content = contents.get(one.due.executionId);
        const isClaimed = row && content && 'content' in content;
        outcomes.set(
          one.due.executionId,
          isClaimed ? await sendOne(tools, one, row, locale, content.content) : { is: 'paused' },
        );
      }),
    );
  });
  return outcomes;
}

/** Forgets attempts whose result has been stored. */
export function recorded(messageIds: Iterable<number>): void {
  for (const id of messageIds) unrecorded.delete(id);
}

async function sendOne(
  tools: SendTools,
  one: ToSend,
  row: MessageRow,
  locale: Locale,
  source: TemplateContent,
): Promise<Outcome> {
  const { node, facts, due } = one;
  const { lead } = facts;
  const data = dataOf(node, 'email');
  const links = linksOf(tools, one, row);
  let composed: Composed;
  try {
    const context = { data: dataFor(lead, facts.payload), ...locale, ...links };
    composed = await composeMessage(tools.renderer, due.tenantId, source, context);
  } catch (error) {
    const text = `The content cannot be rendered: ${(error as Error).message.split('\n')[0]}`.slice(0, 500);
    return { is: 'failed', input: {}, error: text, message: endOf(one, { status: 'failed', error: text }) };
  }
  const { subject, html, text, missing } = composed;
  const input = { subjectLine: subject, recipient: lead.email };
  if (missing.length) return skipped(one, 'missing_value', { ...input, missing: missing.join(', ') });
  if (due.environment === 'sandbox') return sent(one, row, input, { simulated: true });
  const attempt = await tools.mailer.deliver({
    ref: row.ref,
    from: fromHeader(tools, locale.tenantName),
    to: lead.email,
    createdAt: row.createdAt,
    content: {
      subject,
      html,
      text,
      ...(data.replyTo && { replyTo: data.replyTo }),
      headers: {
        'List-Unsubscribe': `<${links.oneClickUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'Auto-Submitted': 'auto-generated',
        Precedence: 'bulk',
      },
    },
  });
  if (unrecorded.size < unrecordedMax) unrecorded.set(row.id, attempt);
  return outcomeOf(one, row, attempt, input);
}

function outcomeOf(one: ToSend, row: MessageRow, attempt: Attempt, input: { subjectLine?: string }): Outcome {
  if (attempt.outcome === 'sent') return sent(one, row, input);
  const error = attempt.error;
  const end = (fields: Pick<MessageEnd, 'status'>) =>
    endOf(one, { subject: input.subjectLine ?? null, error, ...fields });
  if (attempt.outcome === 'postponed' && attempt.isUncertain) return uncertain(one, row, error);
  if (attempt.outcome === 'postponed') {
    const notAfter = new Date(row.createdAt.getTime() + sendHours * 3_600_000);
    const until = nextAttempt(row.attempts, notAfter);
    if (until) return { is: 'postponed', until, reason: 'mail_server', message: end({ status: 'queued' }) };
  }
  // The next messages may still reach the lead, for example at a corrected address.
  return {
    is: 'skipped',
    input,
    result: { messageId: row.id },
    skipReason: attempt.outcome === 'refused' ? 'refused' : 'not_sent_in_time',
    message: end({ status: 'failed' }),
  };
}

function sent(one: ToSend, row: MessageRow, input: { subjectLine?: string }, result: object = {}): Outcome {
  const message = endOf(one, { status: 'sent', subject: input.subjectLine ?? null });
  return { is: 'done', input, result: { messageId: row.id, ...result }, message };
}

/** The message may have been sent: it is flagged, and not sent again. */
function uncertain(one: ToSend, row: MessageRow, error: string): Outcome {
  const message = endOf(one, { status: 'sent', uncertain: true, error });
  return { is: 'uncertain', input: {}, result: { messageId: row.id }, message };
}

function skipped(one: ToSend, skipReason: string, input: object = {}): Outcome {
  return { is: 'skipped', input, result: {}, skipReason, message: endOf(one, { status: 'skipped', skipReason }) };
}

function postponed(until: Date, reason: string): Outcome {
  return { is: 'postponed', until, reason };
}

function placeOf({ due, node }: ToSend) {
  const { executionId, workflowId, campaignId, leadId } = due;
  return { executionId, workflowId, campaignId, leadId, nodeId: node.nodeId, channel: 'email' as const };
}

function endOf(one: ToSend, fields: Partial<MessageEnd> & Pick<MessageEnd, 'status'>): MessageEnd {
  const defaults = { subject: null, uncertain: false, skipReason: null, error: null };
  return { ...placeOf(one), recipient: one.facts.lead.email || null, ...defaults, ...fields };
}

/** Why messages are not sent now, by execution. */
async function reasonsNotToSend(
  tools: SendTools,
  tx: Tx,
  all: readonly ToSend[],
  earlier: ReadonlyMap<number, MessageRow>,
): Promise<Map<number, Outcome>> {
  const suppressed = await suppressedByTopic(tools, tx, all);
  const capped = all.filter(({ due }) => due.settings.maxPerLeadPerDay !== undefined);
  const counts = await countSent(
    tx,
    capped.map(({ due: { leadId }, facts: { now, timezone } }) => ({
      leadId,
      since: startOfDay(dayOf(now, timezone), timezone),
    })),
  );
  const reasons = all.map((one): [number, Outcome | undefined] => [
    one.due.executionId,
    earlierOutcome(one, earlier.get(one.due.executionId)) ??
      reasonOf(tools, one, suppressed.get(one.due.campaignTopicId), counts),
  ]);
  return new Map(reasons.filter((entry): entry is [number, Outcome] => entry[1] !== undefined));
}

/** The suppressed addresses of messages, by the topic of their campaigns. */
async function suppressedByTopic(
  tools: SendTools,
  tx: Tx,
  all: readonly ToSend[],
): Promise<Map<number | null, ReadonlyMap<string, string>>> {
  const found = new Map<number | null, ReadonlyMap<string, string>>();
  for (const [topicId, some] of Map.groupBy(all, ({ due }) => due.campaignTopicId)) {
    const addresses = some.map(({ facts }) => facts.lead.email).filter(Boolean);
    found.set(topicId, await suppressedAddresses(tools, tx, { channel: 'email', topicId }, addresses));
  }
  return found;
}

/** A template that cannot be used, or a test for which the lead waits. */
function reasonOfContent(one: ToSend, content: MessageContent | HeldBack | undefined): Outcome | undefined {
  if (!content) return skipped(one, 'template_deleted');
  return 'until' in content ? postponed(content.until, content.reason) : undefined;
}

/** The outcome of a message that an earlier run claimed or ended; undefined for a new or queued one. */
function earlierOutcome(one: ToSend, row: MessageRow | undefined): Outcome | undefined {
  if (!row || row.status === 'queued') return undefined;
  if (row.status !== 'sending') {
    // The execution has been at this node before, in a cycle or before a retry.
    return { is: 'skipped', input: {}, result: { messageId: row.id }, skipReason: 'already_sent' };
  }
  const attempt = unrecorded.get(row.id);
  return attempt
    ? outcomeOf(one, row, attempt, {})
    : uncertain(one, row, 'The process that sent the message ended before its result was stored');
}

function reasonOf(
  { mailer }: SendTools,
  one: ToSend,
  suppressed: ReadonlyMap<string, string> | undefined,
  counts: ReadonlyMap<number, number>,
): Outcome | undefined {
  const { lead, now, timezone } = one.facts;
  const { settings, environment, campaignWindow } = one.due;
  if (!lead.email) return skipped(one, 'no_address');
  if (lead.consent.email?.state === 'denied') return skipped(one, 'no_consent');
  const reason = suppressed?.get(lead.email);
  if (reason !== undefined) return skipped(one, reason === 'paused' ? 'paused_by_lead' : 'suppressed', { reason });
  if (!mailer.isEnabled && environment === 'live') return skipped(one, 'mail_not_configured');
  const open = openFrom(now, timezone, [settings, ...(campaignWindow ? [campaignWindow] : [])]);
  if (open > now) return postponed(open, 'quiet_hours');
  const { maxPerLeadPerDay: max } = settings;
  if (max !== undefined && (counts.get(lead.id) ?? 0) >= max) return tomorrow(one, 'max_per_lead_per_day');
  return undefined;
}

function tomorrow({ facts: { now, timezone }, due }: ToSend, reason: string): Outcome {
  const zone = reason === 'daily_limit' ? 'UTC' : timezone;
  return postponed(openFrom(nextMidnight(now, zone), timezone, [due.settings]), reason);
}

interface Locale {
  locale: string;
  tenantName: string;
}

async function localeOf({ settingsOf }: SendTools, one: ToSend | undefined): Promise<Locale> {
  if (!one) return { locale: 'en', tenantName: '' };
  const { tenantId, environment } = one.due;
  const settings = await settingsOf({ tenantId, environment, requestId: `workflow-${one.due.workflowId}` });
  return { locale: settings?.locale ?? 'en', tenantName: settings?.name ?? 'Tandem' };
}

function linksOf(tools: SendTools, { due, facts: { lead } }: ToSend, row: MessageRow) {
  const { tenantId, environment, leadId } = due;
  const key = { tenantId, environment, messageId: row.id };
  const token = contactToken(tools, {
    ...key,
    leadId,
    channel: 'email',
    address: lead.email,
    topicId: due.campaignTopicId,
  });
  return {
    pixelUrl: tools.tracking.pixelUrl(key),
    tracked: (url: string) => tools.tracking.clickUrl(key, url),
    unsubscribeUrl: unsubscribeUrl(tools, token),
    preferencesUrl: preferencesUrl(tools, token),
    oneClickUrl: oneClickUrl(tools, token),
  };
}
