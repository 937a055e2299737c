import type { NodeType } from '@tandem/campaign-contract';
import { ShareTimeoutError } from '@tandem/process';
import { dayOf } from '@tandem/time-zones';
import type { Tools, Tx } from '../../../handler.ts';
import { TemplateError } from '../../templates/render.ts';
import { dataOf } from '../graph.ts';
import type { SimulatedEffect } from '../simulate.ts';
import { changeOfLead, taskOf, withChange } from './change-records.ts';
import type { Outgoing } from './channel.ts';
import { previewLinks } from './message-links.ts';
import { tomorrow } from './message-outcomes.ts';
import { messageMax } from './notify-users.ts';
import { reasonsNotToSend } from './reasons.ts';
import { renderText } from './render-text.ts';
import { localeOf, outgoingOf } from './send-messages.ts';
import type { Locale, ToSend } from './to-send.ts';

const dayMs = 86_400_000;

/** Tells what nodes would do for an execution: messages are rendered after the checks of real ones, and nothing leaves. */
export function simulatedEffects(tools: Tools, tx: Tx): (one: ToSend) => Promise<SimulatedEffect> {
  const sentOn = new Map<string, number>();
  let locale: Promise<Locale> | undefined;
  return async (one) => {
    const [message] = outgoingOf([one]);
    if (!message) return otherEffect(one, tools);
    const day = dayOf(one.facts.now, one.facts.timezone);
    const count = sentOn.get(day) ?? 0;
    locale ??= localeOf(tools, one);
    const effect = await messageEffect(tools, tx, message, { count, locale: await locale });
    if (effect.is === 'done') sentOn.set(day, count + 1);
    return effect;
  };
}

async function messageEffect(
  tools: Tools,
  tx: Tx,
  one: Outgoing,
  { count, locale }: { count: number; locale: Locale },
): Promise<SimulatedEffect> {
  const { channel, due } = one;
  const base = { channel: channel.name, recipient: channel.addressOf(one.facts.lead) };
  const { maxPerLeadPerDay: max } = due.settings;
  const reason =
    (await reasonsNotToSend(tools, tx, [one], new Map())).get(due.executionId) ??
    (max !== undefined && count >= max ? tomorrow(one, 'max_per_lead_per_day') : undefined);
  if (reason?.is === 'postponed') return { is: 'postponed', until: reason.until, reason: reason.reason };
  if (reason?.is === 'skipped') return { is: 'skipped', effect: base, skipReason: reason.skipReason ?? 'skipped' };
  const source = (await channel.readContents(tools, tx, [one])).get(due.executionId);
  if (!source) return { is: 'skipped', effect: base, skipReason: 'template_deleted' };
  if ('until' in source) return { is: 'postponed', ...source };
  try {
    const context = { locale, links: previewLinks(tools) };
    const { subject, text, missing, skipReason } = await channel.render(tools, one, source.content, context);
    const effect = { ...base, subject, text, missing };
    const why = missing.length ? 'missing_value' : skipReason;
    return why === undefined ? { is: 'done', effect, isMessage: true } : { is: 'skipped', effect, skipReason: why };
  } catch (error) {
    if (error instanceof ShareTimeoutError) throw error;
    const [line = ''] = (error as Error).message.split('\n');
    return { is: 'failed', effect: { ...base, error: line.slice(0, 500) } };
  }
}

async function otherEffect(one: ToSend, tools: OtherTools): Promise<SimulatedEffect> {
  try {
    return await (others[one.node.type] ?? nothing)(one, tools);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { is: 'failed', effect: { error: error.message.slice(0, 500) } };
  }
}

type OtherTools = Pick<Tools, 'ids' | 'renderer'>;
type Other = (one: ToSend, tools: OtherTools) => SimulatedEffect | Promise<SimulatedEffect>;

const nothing: Other = () => ({ is: 'done', effect: {} });

const others: Partial<Record<NodeType, Other>> = {
  update_lead({ node, facts: { lead } }) {
    const fields = changeOfLead(node, lead);
    return { is: 'done', effect: { fields }, lead: withChange(lead, fields) };
  },
  async create_task({ node, due, facts }, tools) {
    const { lead, now } = facts;
    const { dueInDays, assignedTo } = dataOf(node, 'create_task');
    const assignee =
      assignedTo ?? (lead.assignedTo === null ? null : tools.ids.encode('user', due.tenantId, lead.assignedTo));
    const dueAt = new Date(now.getTime() + dueInDays * dayMs);
    const task = await taskOf(tools, node, facts);
    return { is: 'done', effect: { ...task, dueAt: dueAt.toISOString(), assignedTo: assignee } };
  },
  assign({ node, due, facts: { lead } }, { ids }) {
    const { userId } = dataOf(node, 'assign');
    const assignedTo = ids.decode('user', due.tenantId, userId);
    return { is: 'done', effect: { userId }, lead: withChange(lead, { assignedTo }) };
  },
  async notify({ node, facts }, tools) {
    const { userIds = [], message } = dataOf(node, 'notify');
    return { is: 'done', effect: { userIds, message: await renderText(tools, message, facts, messageMax) } };
  },
  webhook: ({ node }) => ({ is: 'done', effect: { url: dataOf(node, 'webhook').url } }),
  enroll: ({ node }) => ({ is: 'done', effect: { workflowId: dataOf(node, 'enroll').workflowId } }),
};
