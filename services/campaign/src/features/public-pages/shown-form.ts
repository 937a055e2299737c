import { createLog } from '@tandem/process';
import type { Tools } from '../../handler.ts';
import type { LeadRecord } from '../engine/facts.ts';
import { askedFields } from '../forms/asked-fields.ts';
import { asForm } from '../forms/form.ts';
import { issueRenderToken, type RenderTokens } from '../forms/render-token.ts';
import type { ShownForm } from './form-html.ts';
import type { PublishedPage } from './published-page.ts';
import type { Scope } from './visitor.ts';

const log = createLog('campaign');

// A page should not wait for crm as long as a workflow does: it can ask a question once more instead.
const crmTimeoutMs = 1_000;

type FormTools = Pick<Tools, 'crm' | 'ids' | 'publicUrl'> & { renderTokens: RenderTokens };

/**
 * The form of a page with the fields for this visitor; null for a page without one. Reads what is known about the visitor
 * from crm, so call it outside of a transaction.
 */
export async function shownForm(
  tools: FormTools,
  { id: pageId, form: row, lead: visitor, test }: Pick<PublishedPage, 'id' | 'form' | 'lead' | 'test'>,
  as: Scope & { requestId: string },
): Promise<ShownForm | null> {
  if (!row) return null;
  const form = asForm(row, tools);
  const lead = visitor && (await findLead(tools, visitor.id, as));
  const fields = askedFields(form, visitor && lead && { lead, answered: visitor.answered });
  const renderToken = issueRenderToken(tools.renderTokens, form.id, { pageId, test, fields });
  return { ...form, fields, renderToken };
}

/** The lead of a visitor; undefined if it is deleted, or crm does not answer: then nothing is known. */
async function findLead(
  { crm }: Pick<Tools, 'crm'>,
  leadId: number,
  as: Scope & { requestId: string },
): Promise<LeadRecord | undefined> {
  try {
    const [lead] = await crm.readLeads({ body: { ids: [leadId] }, as, timeoutMs: crmTimeoutMs });
    return lead;
  } catch (error) {
    log.warn('the lead of a visitor could not be read; the form asks as if nothing were known', { leadId, error });
    return undefined;
  }
}
