import { ServiceCallError } from '@tandem/client/internal';
import { TaskType } from '@tandem/crm-contract';
import { ShareTimeoutError } from '@tandem/process';
import type { Tools } from '../../../handler.ts';
import type { Facts, LeadRecord } from '../facts.ts';
import { dataOf, type GraphNode } from '../graph.ts';
import { leadFields } from './lead-fields.ts';
import type { Outcome } from './outcome.ts';
import { renderText } from './render-text.ts';
import { retryAt, threadsBusy } from './retry.ts';
import { reachedAt, type ToSend } from './to-send.ts';

const dayMs = 86_400_000;
const titleMax = 200;

/**
 * Changes a record of crm: fields, tags or the assignee of the lead, or a new task. Each change can be repeated: a lead gets
 * the same values again, and a task has the key of its step.
 */
export async function changeRecord(tools: Tools, one: ToSend): Promise<Outcome> {
  const { due } = one;
  const as = {
    tenantId: due.tenantId,
    environment: due.environment,
    // Events that the change causes name the execution, so that workflows that start one another are found.
    requestId: `execution-${due.executionId}-${one.step}`,
    permissions: ['leads:write', 'leads:read', 'tasks:write'],
  };
  let input: object = {};
  try {
    const change = await changeOf(tools, one, as);
    input = change.input;
    const { call, lead } = change;
    if (typeof call === 'string') return { is: 'failed', input, error: call };
    return { is: 'done', input, result: await call(), ...(lead && { lead }) };
  } catch (error) {
    if (error instanceof ShareTimeoutError) return threadsBusy();
    if (!(error instanceof ServiceCallError)) throw error;
    // Another run made the change, with other values of the lead, or another due time because it ended before its record.
    if (error.code === 'idempotency_mismatch') return { is: 'done', input, result: {} };
    const isTemporary = error.status >= 500 || error.status === 412 || error.code === 'idempotency_running';
    const until = isTemporary ? retryAt(due.attempts) : undefined;
    if (until)
      return {
        is: 'postponed',
        until,
        reason: error.status === 412 ? 'lead_changed' : 'crm_unavailable',
        isFault: true,
      };
    return { is: 'failed', input, error: `crm refused the change: ${error.code ?? error.status}` };
  }
}

type As = { tenantId: number; environment: 'live' | 'sandbox'; requestId: string; permissions: string[] };
type Changing = { input: object; call: (() => Promise<object>) | string; lead?: LeadRecord };

const unknownUser = 'There is no user with the id of this node';

async function changeOf(tools: Tools, one: ToSend, as: As): Promise<Changing> {
  if (one.node.type === 'update_lead') return leadChange(tools, one, as);
  return one.node.type === 'assign' ? assignment(tools, one, as) : newTask(tools, one, as);
}

/** The change that a node makes to a lead. */
export function changeOfLead(node: GraphNode, lead: LeadRecord) {
  const { fields = {}, addTags = [], removeTags = [] } = dataOf(node, 'update_lead');
  const tags = [...new Set([...lead.tags.filter((tag) => !removeTags.includes(tag)), ...addTags])];
  const { customFields, ...others } = leadFields.parse(fields);
  return {
    ...others,
    // A request replaces custom fields as a whole; a workflow sets some of them.
    ...(customFields && { customFields: { ...lead.customFields, ...customFields } }),
    ...((addTags.length > 0 || removeTags.length > 0) && { tags }),
  };
}

/** A lead with changed fields, as the next nodes see it. */
export function withChange(lead: LeadRecord, fields: object): LeadRecord {
  const changed = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...lead, ...Object.fromEntries(changed) };
}

/**
 * The change of an `update_lead` node. Tags and custom fields are replaced as a whole, so they are made of the current ones,
 * and crm refuses them if the lead has changed since: somebody may have edited it while the messages of the batch were sent.
 */
async function leadChange({ crm }: Tools, { node, facts }: ToSend, as: As): Promise<Changing> {
  const { id } = facts.lead;
  const [current = facts.lead] = await crm.readLeads({ body: { ids: [id] }, as });
  const body = changeOfLead(node, current);
  const isWhole = 'tags' in body || 'customFields' in body;
  return {
    input: body,
    lead: withChange(current, body),
    call: async () => {
      await crm.updateLead({ params: { id }, body, as, ...(isWhole && { ifVersion: current.version }) });
      return {};
    },
  };
}

function assignment({ crm, ids }: Tools, { node, due, facts: { lead } }: ToSend, as: As): Changing {
  const { userId: code } = dataOf(node, 'assign');
  const assignedTo = ids.decode('user', due.tenantId, code);
  const call = async () => {
    await crm.updateLead({ params: { id: lead.id }, body: { assignedTo }, as });
    return {};
  };
  if (assignedTo === undefined) return { input: { userId: code }, call: unknownUser };
  return { input: { userId: code }, call, lead: withChange(lead, { assignedTo }) };
}

/** The title and the type of the task of a node. The title has placeholders. */
export async function taskOf(tools: Pick<Tools, 'renderer'>, node: GraphNode, facts: Facts) {
  const { title, type } = dataOf(node, 'create_task');
  // A version that was published before types were checked can have any text.
  return { title: await renderText(tools, title, facts, titleMax), type: TaskType.catch('other').parse(type) };
}

async function newTask(tools: Tools, { node, due, step, facts }: ToSend, as: As): Promise<Changing> {
  const { crm, ids } = tools;
  const { lead } = facts;
  const { title: template, dueInDays, assignedTo: code } = dataOf(node, 'create_task');
  const assignedTo = code === undefined ? lead.assignedTo : ids.decode('user', due.tenantId, code);
  if (assignedTo === undefined) return { input: { title: template }, call: unknownUser };
  let task: Awaited<ReturnType<typeof taskOf>>;
  try {
    task = await taskOf(tools, node, facts);
  } catch (error) {
    if (error instanceof ShareTimeoutError) throw error;
    const why = `The title cannot be rendered: ${(error as Error).message}`.slice(0, 500);
    return { input: { title: template }, call: why };
  }
  // The same in each attempt, so that crm answers a repetition with the task of the first one.
  const dueAt = new Date(reachedAt({ due, step, facts }).getTime() + dueInDays * dayMs);
  const body = {
    ...task,
    priority: 'normal' as const,
    leadId: lead.id,
    assignedTo,
    dueAt,
    reminders: [],
  };
  const call = async () => {
    const { id } = await crm.createTask({ body, as, idempotencyKey: `execution-${due.executionId}-${step}` });
    return { taskId: ids.encode('task', due.tenantId, id) };
  };
  return { input: task, call };
}
