import type { AgentActionValue } from '@tandem/agents-contract';
import { ServiceCallError } from '@tandem/client/internal';
import type { JobScope } from '@tandem/jobs';
import { reachOf } from '@tandem/service';
import { readActingUser } from '../../acting-user.ts';
import type { Tools } from '../../handler.ts';
import { permissionsFor } from './permissions.ts';

const dayMs = 86_400_000;
const tagAttemptsMax = 3;
const noDecider = {
  code: 'decider_not_permitted',
  message: 'The user who decided is not active, or does not have the permission for the action any more',
};

/** An action that somebody has decided about. */
export interface Decided {
  action: AgentActionValue;
  leadId: number;
  /** The user who decided, in whose name crm acts; null for a key. */
  userId: number | null;
  /** From when on the due time of a task counts: the same for each attempt. */
  decidedAt: Date;
  /** Repeated attempts with the same key act once. */
  key: string;
}

/** The record that an action has created, if it creates one. */
export interface Performed {
  taskId?: number;
  opportunityId?: number;
}

/** An action that crm has refused for good. */
export interface Refused {
  error: { code: string; message: string };
}

/**
 * Performs an action through crm, with the permissions for this action only.
 * @returns what was created, or why crm has refused
 * @throws ServiceCallError while crm is unreachable, so that the job tries again
 */
export async function performAction(
  tools: Pick<Tools, 'crm' | 'identity'>,
  decided: Decided,
  scope: JobScope,
): Promise<Performed | Refused> {
  const user = decided.userId === null ? undefined : await readDecider(tools, decided, scope);
  if (user === null) return { error: noDecider };
  try {
    return await perform(tools, decided, { ...scope, ...user });
  } catch (error) {
    if (!(error instanceof ServiceCallError)) throw error;
    // An earlier attempt was made with another assignee of the lead: it has acted.
    if (error.code === 'idempotency_mismatch') return {};
    const isTemporary = error.status >= 500 || error.status === 412 || error.code === 'idempotency_running';
    if (isTemporary) throw error;
    const code = error.code ?? String(error.status);
    return { error: { code, message: `The record refused the action: ${code.replaceAll('_', ' ')}` } };
  }
}

/** The user who decided, with their teams; null if they may not do it any more. */
async function readDecider(
  tools: Pick<Tools, 'identity'>,
  { userId, action, key: requestId }: Decided,
  scope: JobScope,
): Promise<{ userId: number; teamIds: readonly number[] } | null> {
  const user = await readActingUser(tools, userId as number, { scope, requestId });
  const isAble = user && permissionsFor(action).every((permission) => reachOf(user, permission) !== 'none');
  return isAble ? { userId: userId as number, teamIds: user.teamIds ?? [] } : null;
}

async function perform(
  { crm }: Pick<Tools, 'crm'>,
  { action, leadId, userId, decidedAt, key: idempotencyKey }: Decided,
  by: JobScope & { userId?: number; teamIds?: readonly number[] },
): Promise<Performed> {
  const as = { ...by, requestId: idempotencyKey, permissions: permissionsFor(action) };
  const params = { id: leadId };
  switch (action.type) {
    case 'create_task': {
      const [lead] = await crm.findLeads({ body: { ids: [leadId] }, as });
      const { title, taskType: type, dueInDays } = action;
      const body = {
        ...{ title, type, leadId, priority: 'normal' as const, reminders: [] },
        assignedTo: lead?.assignedTo ?? userId,
        dueAt: new Date(decidedAt.getTime() + dueInDays * dayMs),
      };
      return { taskId: (await crm.createTask({ body, as, idempotencyKey })).id };
    }
    case 'change_status':
      await crm.changeLeadStatus({ params, body: { status: action.status }, as, idempotencyKey });
      return {};
    case 'convert': {
      const body = { leadId, ...(action.name !== null && { name: action.name }) };
      return { opportunityId: (await crm.convertLead({ body, as, idempotencyKey })).id };
    }
    case 'add_tags':
      await addTags(crm, { leadId, tags: action.tags, as });
      return {};
    case 'call':
      throw new Error('A call is made by the telephony driver');
  }
}

type As = Parameters<Tools['crm']['updateLead']>[0]['as'];

/** Adds tags to those that the lead has. A change of the lead between reading and writing starts it again. */
async function addTags(
  crm: Tools['crm'],
  { leadId, tags, as }: { leadId: number; tags: string[]; as: As },
  attempt = 1,
): Promise<void> {
  const [lead] = await crm.readLeads({ body: { ids: [leadId] }, as });
  if (!lead) throw new ServiceCallError('updateLead', 404, 'not_found');
  const all = [...new Set([...lead.tags, ...tags])];
  if (all.length === lead.tags.length) return;
  try {
    await crm.updateLead({ params: { id: leadId }, body: { tags: all }, as, ifVersion: lead.version });
  } catch (error) {
    const isChanged = error instanceof ServiceCallError && error.status === 412;
    if (!isChanged || attempt === tagAttemptsMax) throw error;
    await addTags(crm, { leadId, tags, as }, attempt + 1);
  }
}
