import { leadStatusChanged, type leads, leadUpdated } from '@tandem/crm-contract';
import { diff, failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { checkTransition, lockLead, writeLead } from './lead.ts';
import { checkStatus, nextStatus, statusChange } from './lead-status.ts';

export const changeLeadStatus: Handler<typeof leads.changeLeadStatus> = async ({ params, body, tx, emit, ifMatch }) => {
  const lead = await lockLead(tx, params.id);
  ifMatch(lead);
  const { reason = null, ...wanted } = body;
  const status = wanted.status || wanted.statusCode ? await nextStatus(tx, lead, wanted) : undefined;
  if (!status) throw failField('status', 'Is required, unless statusCode has the code of a lead status');
  const { isEmpty, values, audit } = diff(lead, status);
  // The status of a lead does not change to itself.
  if (isEmpty) checkTransition(lead, status.status);
  checkStatus(lead, status);
  const updated = await writeLead(tx, lead.id, values);
  emit(leadUpdated, { data: { leadId: lead.id, changes: values }, record: updated, changes: audit });
  emit(leadStatusChanged, { data: statusChange(lead, status, reason), record: updated });
  return updated;
};
