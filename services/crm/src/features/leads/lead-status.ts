import { failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { checkTransition, type LeadRecord, type LeadStatus } from './lead.ts';

interface Definition {
  code: string;
  category: LeadStatus;
}

interface Wanted {
  status?: LeadStatus | undefined;
  statusCode?: string | null | undefined;
}

/** Status and code that a lead gets together. */
export interface CodedStatus {
  status: LeadStatus;
  statusCode: string;
}

/**
 * The status of a new lead: the requested one, else the default lead status.
 * @throws 422 naming `statusCode` when it is unknown or contradicts `status`
 */
export async function firstStatus(tx: Tx, wanted: Wanted): Promise<CodedStatus> {
  return (await wantedStatus(tx, wanted)) ?? (await defaultStatus(tx)) ?? { status: 'new', statusCode: 'new' };
}

/**
 * The status that a change gives a lead; undefined if it names none. A lead keeps its code if it has the wanted status.
 * @throws 422 naming `statusCode` when it is unknown or contradicts `status`
 */
export async function nextStatus(tx: Tx, lead: LeadRecord, wanted: Wanted): Promise<CodedStatus | undefined> {
  const { status, statusCode } = wanted;
  const isSame = (statusCode ?? lead.statusCode) === lead.statusCode && (status ?? lead.status) === lead.status;
  if (isSame && lead.statusCode !== null) return { status: lead.status, statusCode: lead.statusCode };
  return wantedStatus(tx, wanted);
}

async function wantedStatus(tx: Tx, { status, statusCode }: Wanted): Promise<CodedStatus | undefined> {
  if (typeof statusCode !== 'string') return status && firstOfCategory(tx, status);
  // Locked against deletion until the lead has the code.
  const [found] = await tx.sql<Definition>`SELECT code, category FROM status_definition
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND entity_type = 'lead'
      AND pipeline_id IS NULL AND code = ${statusCode} FOR KEY SHARE`;
  if (!found)
    throw failField(
      'statusCode',
      'No lead status with this code; GET /v1/config/statuses?entityType=lead lists the lead statuses',
    );
  if (status && status !== found.category)
    throw failField('statusCode', `Counts as ${found.category}; send this status, or omit status`);
  return { status: found.category, statusCode };
}

/** The built-in code of a category, or its first one if that was deleted. */
async function firstOfCategory(tx: Tx, status: LeadStatus): Promise<CodedStatus> {
  const [found] = await tx.sql<Definition>`SELECT code, category FROM status_definition
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND entity_type = 'lead'
      AND pipeline_id IS NULL AND category = ${status}
    ORDER BY code <> ${status}, sort_order, id LIMIT 1 FOR KEY SHARE`;
  return { status, statusCode: found?.code ?? status };
}

async function defaultStatus(tx: Tx): Promise<CodedStatus | undefined> {
  const [found] = await tx.sql<Definition>`SELECT code, category FROM status_definition
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND entity_type = 'lead'
      AND pipeline_id IS NULL AND is_default LIMIT 1 FOR KEY SHARE`;
  return found && { status: found.category, statusCode: found.code };
}

/** Fails unless a lead can change to a status; between the codes of one category it can, unless it is converted. */
export function checkStatus(lead: LeadRecord, { status }: CodedStatus): void {
  if (status !== lead.status || lead.convertedAt) checkTransition(lead, status);
}

/** The `data` of `lead.status_changed`. */
export function statusChange(
  lead: LeadRecord,
  { status, statusCode }: Pick<LeadRecord, 'status' | 'statusCode'>,
  reason: string | null,
) {
  return { leadId: lead.id, from: lead.status, to: status, reason, fromCode: lead.statusCode, toCode: statusCode };
}
