import { contentMax, type GeneratedPage, type Sequence } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { Cleaned, HtmlCleaner } from '../landing-pages/html-cleaner.ts';
import { type Graph, structureErrors } from '../workflows/structure.ts';

/** What a generated sequence must be beyond its schema: one trigger, from which everything is reached, without a way back. */
export function sequenceFaults(sequence: z.output<typeof Sequence>): string[] {
  const structure = structureErrors(sequence).map(({ field, message }) => `${field}: ${message}`);
  const triggers = sequence.nodes.filter(({ type }) => type === 'trigger');
  if (triggers.length !== 1) structure.push('nodes: exactly one must be of type trigger');
  if (!sequence.nodes.some(({ type }) => type === 'email')) structure.push('nodes: at least one must be of type email');
  // The checks below need edges between existing nodes.
  if (structure.length) return structure;
  return [
    ...unreachable(sequence, triggers[0]?.nodeId as string).map((nodeId) => `nodes: ${nodeId} is not reached`),
    ...(isAcyclic(sequence) ? [] : ['edges: they lead in a circle']),
  ];
}

function unreachable({ nodes, edges }: Graph, from: string): string[] {
  const targets = Map.groupBy(edges, ({ source }) => source);
  const reached = new Set([from]);
  // Iterating over a set includes entries that are added meanwhile.
  for (const nodeId of reached) for (const { target } of targets.get(nodeId) ?? []) reached.add(target);
  return nodes.map(({ nodeId }) => nodeId).filter((nodeId) => !reached.has(nodeId));
}

/** Removes nodes without incoming edges until none is left (Kahn's algorithm). The remaining nodes form cycles. */
function isAcyclic({ nodes, edges }: Graph): boolean {
  let ids = nodes.map(({ nodeId }) => nodeId);
  let left = edges;
  for (;;) {
    const targets = new Set(left.map(({ target }) => target));
    const kept = ids.filter((nodeId) => targets.has(nodeId));
    if (kept.length === ids.length) return kept.length === 0;
    const present = new Set(kept);
    left = left.filter(({ source }) => present.has(source));
    ids = kept;
  }
}

// Only makes the model try again. Its output is cleaned in any case.
const active = /<\s{0,9}(script|iframe|object|embed|form)\b|\son[a-z]{3,20}\s{0,9}=|javascript\s{0,9}:/i;

/** The faults of a generated page that its schema cannot find: sections out of order, content with scripts. */
export async function pageFaults(
  { sections, content }: z.output<typeof GeneratedPage>,
  cleaner: HtmlCleaner,
  tenantId: number | undefined,
): Promise<string[]> {
  const orders = sections.map(({ order }) => order).sort((a, b) => a - b);
  const ids = new Set(sections.map(({ sectionId }) => sectionId));
  return [
    ...(sections.length ? [] : ['sections: must not be empty']),
    ...(orders.every((order, index) => order === index) ? [] : ['sections: order must count from 0 without gaps']),
    ...(ids.size === sections.length ? [] : ['sections: each needs a sectionId of its own']),
    ...contentFaults(await cleaner.clean(content, tenantId)),
    ...(active.test(content) ? ['content: must have no scripts, frames, forms or event handlers'] : []),
  ];
}

function contentFaults(cleaned: Cleaned): string[] {
  if ('refusal' in cleaned) return [`content: ${cleaned.refusal}`];
  return [
    ...(cleaned.html.trim() ? [] : ['content: must not be empty']),
    ...(cleaned.html.length > contentMax ? [`content: must be at most ${contentMax} characters`] : []),
  ];
}
