import type { PersonalData } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { executionData } from './execution-data.ts';
import { messageData } from './message-data.ts';
import { pauseData } from './pause-data.ts';
import { submissionData } from './submission-data.ts';
import { suppressionData } from './suppression-data.ts';

/** The data of a person in campaign, one entry for each kind of records. */
export function campaignData(tools: Pick<Tools, 'seal'>): PersonalData<Tx> {
  return combined([suppressionData(tools), pauseData(tools), executionData, messageData, submissionData]);
}

/** Several kinds of records as one: each erases a batch, until none finds any more. */
function combined(kinds: readonly PersonalData<Tx>[]): PersonalData<Tx> {
  return {
    async erase(inside) {
      const counts: Record<string, number> = {};
      for (const { erase } of kinds) Object.assign(counts, await erase(inside));
      return counts;
    },
    sweeps: kinds.flatMap(({ sweeps = [] }) => sweeps),
    async read(inside) {
      const sections = [];
      for (const { read } of kinds) sections.push(...(await read(inside)));
      return sections;
    },
  };
}
