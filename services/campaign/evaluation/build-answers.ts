import type { GeneratedPage, Sequence } from '@tandem/campaign-contract';
import type { z } from 'zod';
import { languageOf } from './language.ts';

const rowHeight = 150;
const waitDays = 2;

/** A sequence of e-mails, each two days after the previous one, with labels in the language of its description. */
export function sequenceOf(
  name: string,
  description: string,
  emails: [label: string, subjectLine: string][],
): z.output<typeof Sequence> {
  const [start, wait] =
    languageOf(description) === 'de' ? ['Der Beginn', 'Pause von zwei Tagen'] : ['The start', 'Wait for two days'];
  const steps = emails.flatMap(([label, subjectLine], index) => [
    ...(index
      ? [{ type: 'wait' as const, data: { label: wait, duration: waitDays, durationUnit: 'days' as const } }]
      : []),
    { type: 'email' as const, data: { label, subjectLine } },
  ]);
  const trigger = { type: 'trigger' as const, data: { label: start, triggerType: 'form_submission' } };
  const nodes = [trigger, ...steps].map((node, index) => ({
    ...node,
    nodeId: `node-${index + 1}`,
    position: { x: 250, y: index * rowHeight },
  }));
  const edges = nodes
    .slice(1)
    .map(({ nodeId }, index) => ({ edgeId: `edge-${index + 1}`, source: `node-${index + 1}`, target: nodeId }));
  return { name, description, nodes, edges };
}

/** The texts of a page. */
export interface PageTexts extends Pick<z.output<typeof GeneratedPage>, 'name' | 'slug' | 'description' | 'seo'> {
  sections: { type: string; label: string; heading: string; text: string }[];
  action: { text: string; href: string };
}

/** A page with one block for each section, and a button at its end. */
export function pageOf({ sections, action, ...texts }: PageTexts): z.output<typeof GeneratedPage> {
  const blocks = sections.map(
    ({ type, heading, text }, order) =>
      `<section id="section-${order + 1}" class="${type}"><h2>${heading}</h2><p>${text}</p></section>`,
  );
  return {
    ...texts,
    sections: sections.map(({ type, label }, order) => ({
      ...{ sectionId: `section-${order + 1}`, type, label, visible: true, order },
    })),
    style: { primaryColor: '#1d4ed8', backgroundColor: '#ffffff', fontFamily: 'Inter, sans-serif' },
    content: `${blocks.join('\n')}\n<p><a class="button" href="${action.href}">${action.text}</a></p>`,
  };
}
