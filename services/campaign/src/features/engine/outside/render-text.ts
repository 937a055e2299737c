import type { Tools } from '../../../handler.ts';
import { storableText } from '../../templates/storable-text.ts';
import type { Facts } from '../facts.ts';
import { dataFor } from './contents.ts';

/**
 * Renders a text that is no message, such as the title of a task.
 * @throws TemplateError when it cannot be rendered, ShareTimeoutError when the threads are busy
 */
export async function renderText(
  { renderer }: Pick<Tools, 'renderer'>,
  text: string,
  { lead, payload }: Pick<Facts, 'lead' | 'payload'>,
  max: number,
): Promise<string> {
  const content = { subject: null, preheader: null, html: null, text, variables: [] };
  const rendered = await renderer.render(content, dataFor(lead, payload), lead.tenantId);
  return storableText((rendered.text ?? '').trim().slice(0, max));
}
