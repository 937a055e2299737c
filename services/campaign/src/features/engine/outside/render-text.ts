import { renderTemplate } from '../../templates/render.ts';
import { storableText } from '../../templates/storable-text.ts';
import type { Facts } from '../facts.ts';
import { dataFor } from './contents.ts';

/** Renders a text that is no message, such as the title of a task. */
export function renderText(text: string, { lead, payload }: Pick<Facts, 'lead' | 'payload'>, max: number): string {
  const content = { subject: null, preheader: null, html: null, text, variables: [] };
  return storableText((renderTemplate(content, dataFor(lead, payload)).text ?? '').trim().slice(0, max));
}
