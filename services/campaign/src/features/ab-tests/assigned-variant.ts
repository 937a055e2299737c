import { shareOf } from '../engine/nodes/index.ts';

/** The settings of a test that decide which variant a person gets. */
export interface Assigning {
  id: number;
  samplePercent: number;
  variants: readonly { key: string; weight: number }[];
}

/**
 * The variant of a person, always the same for the same test: it depends only on the ids. Undefined for people outside of
 * the sample.
 * @param person the id of a lead, or a random text for a visitor
 */
export function assignedVariant(
  { id, samplePercent, variants }: Assigning,
  person: number | string,
): string | undefined {
  if (shareOf(`ab-test/${id}/sample/${person}`) * 100 >= samplePercent) return undefined;
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  let place = shareOf(`ab-test/${id}/${person}`) * total;
  const chosen = variants.find(({ weight }) => {
    place -= weight;
    return place < 0;
  });
  return (chosen ?? variants.at(-1))?.key;
}
