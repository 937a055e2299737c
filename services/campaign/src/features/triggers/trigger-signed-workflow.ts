import type { Caller } from '@tandem/caller';
import { SignedTrigger, type triggers } from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import { fail, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tools } from '../../handler.ts';
import type { LeadRecord } from '../engine/facts.ts';
import { secretsOf } from '../workflow-secrets/secret.ts';
import { isSigned } from '../workflow-secrets/signature.ts';
import { startForLead } from './trigger-workflow.ts';

type Scope = { tenantId: number; environment: 'live' | 'sandbox' };
type Named = Omit<z.output<typeof SignedTrigger>, 'eventId'>;

// A number names one workflow of both environments, so the order matters for speed only.
const environments = ['live', 'sandbox'] as const;
const fieldErrorsMax = 20;

/** The trigger for systems without an API key: the signature of the bytes is the credential. */
export const triggerSignedWorkflow =
  (tools: Pick<Tools, 'ids' | 'crm' | 'seal'>): Handler<typeof triggers.triggerSignedWorkflow> =>
  async ({ params, body: { bytes, headers }, caller, inTenant }) => {
    const located = tools.ids.locate('workflow', params.id);
    // The same for an unknown workflow, so that nobody learns which exist.
    if (!located) throw fail('wrong_signature');
    const { tenantId, id: workflowId } = located;
    for (const environment of environments) {
      const scope = { tenantId, environment };
      const row = await inTenant(scope, ({ tx }) => tx.workflow.findFirst({ where: { id: workflowId } }));
      if (!row) continue;
      if (!isSigned(bytes, headers, secretsOf(tools, row))) throw fail('wrong_signature');
      const body = readBody(bytes, headers['webhook-id']);
      const lead = await findLead(tools, body, scope, caller);
      const { eventId, payload = {} } = body;
      return inTenant(scope, (inside) => startForLead(tools, inside, { workflowId, lead, eventId, payload }));
    }
    throw fail('wrong_signature');
  };

/** The fields of the signed bytes. Without an id of the event, that of the request is one, so it must be a valid one too. */
function readBody(bytes: Uint8Array, requestId: string | undefined): Named & { eventId: string | null } {
  const { data, error } = SignedTrigger.safeParse(parsed(bytes));
  if (data?.eventId !== undefined) return { ...data, eventId: data.eventId };
  if (data) {
    const { success, data: eventId = null, error: problem } = SignedTrigger.shape.eventId.safeParse(requestId);
    if (!success) throw failField('webhook-id', problem.issues[0]?.message ?? 'Is invalid');
    return { ...data, eventId };
  }
  const errors = error.issues.map(({ path, message }) => ({ field: path.join('.') || 'body', message }));
  throw fail('validation_failed', errors.slice(0, fieldErrorsMax));
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw fail('malformed_json');
  }
}

async function findLead(
  { crm, ids }: Pick<Tools, 'crm' | 'ids'>,
  { leadId: code, email }: Named,
  scope: Scope,
  { requestId }: Caller,
): Promise<LeadRecord> {
  if ((code === undefined) === (email === undefined))
    throw failField('leadId', 'Give either leadId or email, so that the lead is clear');
  const as = { ...scope, requestId };
  if (email !== undefined) {
    const [lead] = await crm.findLeadsByEmail({ body: { email }, as });
    if (!lead) throw failField('email', 'No lead with this address');
    return lead;
  }
  const leadId = ids.decode('lead', scope.tenantId, code as string);
  const [lead] = leadId === undefined ? [] : await crm.readLeads({ body: { ids: [leadId] }, as });
  if (!lead) throw failField('leadId', unknownId('lead'));
  return lead;
}
