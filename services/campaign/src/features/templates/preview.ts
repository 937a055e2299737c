import type { Caller } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { asService, fail, failField, reachOf } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { preferencesUrl, unsubscribeUrl } from '../preferences/contact-links.ts';
import { type RenderedTemplate, TemplateError } from './render.ts';
import { findTemplate, type TemplateRecord } from './template.ts';
import { samplePerson, templateData } from './template-data.ts';

// Links of a preview open nothing.
const previewToken = 'preview';

/** The values for a preview: those of a lead or of a sample person, and then those of the request. */
export async function previewData(
  tools: Pick<Tools, 'crm' | 'settingsOf' | 'publicUrl'>,
  { leadId, sample = {} }: { leadId?: number; sample?: Record<string, unknown> },
  caller: Caller,
): Promise<Record<string, unknown>> {
  const { tenantId, environment, requestId } = caller;
  const settings = await tools.settingsOf({ tenantId: tenantId as number, environment, requestId });
  const data = templateData({
    lead: leadId === undefined ? samplePerson : await readLead(tools, leadId, caller),
    tenantName: settings?.name ?? '',
    unsubscribeUrl: unsubscribeUrl(tools, previewToken),
    preferencesUrl: preferencesUrl(tools, previewToken),
  });
  return merged(data, sample);
}

async function readLead({ crm }: Pick<Tools, 'crm'>, leadId: number, caller: Caller) {
  const as = asService(caller, reachOf(caller, 'leads:read'));
  const [lead] = await crm.readLeads({ body: { ids: [leadId] }, as });
  if (!lead) throw failField('leadId', unknownId('lead'));
  return lead;
}

/**
 * A template, rendered for a preview. Call it in `check`: no transaction may wait for a worker thread.
 * @throws 404 when there is no such template, 422 when it cannot be rendered, 503 when the threads are busy
 */
export async function renderPreview(
  { renderer }: Pick<Tools, 'renderer'>,
  tx: Tx,
  { tenantId, templateId, data }: { tenantId: number; templateId: number; data: Record<string, unknown> },
): Promise<{ template: TemplateRecord; rendered: RenderedTemplate }> {
  const template = await findTemplate(tx, templateId);
  if (!template) throw fail('not_found');
  try {
    return { template, rendered: await renderer.render(template, data, tenantId) };
  } catch (error) {
    if (error instanceof TemplateError) throw failField(error.field, error.message);
    throw error;
  }
}

/** The values with those of a sample, which replaces members of objects one by one. */
function merged(data: Record<string, unknown>, sample: Record<string, unknown>): Record<string, unknown> {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = Object.entries(sample).map(([key, value]) => {
    const before = Object.hasOwn(data, key) ? data[key] : undefined;
    return [key, isObject(before) && isObject(value) ? merged(before, value) : value] as const;
  });
  return { ...data, ...Object.fromEntries(entries) };
}
