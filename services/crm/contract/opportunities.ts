import { code, event, id, text } from '@tandem/contract';
import { z } from 'zod';

const exampleId = 'Fz6HmT1wYd83KsPc';
/** Major units of the opportunity's currency. */
const Value = z.number().nonnegative();
/** The code of a stage; each tenant defines its own. */
const Stage = code();

export const opportunityCreated = event('opportunity.created', {
  group: 'opportunities',
  description: 'A new opportunity is opened',
  action: 'opportunity.create',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity'), value: Value, stage: Stage }),
  record: z.object({ id: id('opportunity'), value: Value, stage: Stage }),
  example: { opportunityId: exampleId, value: 4800, stage: 'prospecting' },
});

export const opportunityStageChanged = event('opportunity.stage_changed', {
  group: 'opportunities',
  description: 'An opportunity moves to a new stage',
  action: 'opportunity.change_stage',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity'), from: Stage, to: Stage }),
  record: z.object({ id: id('opportunity'), stage: Stage }),
  example: { opportunityId: exampleId, from: 'prospecting', to: 'proposal' },
});

export const opportunityWon = event('opportunity.won', {
  group: 'opportunities',
  description: 'A deal is marked won',
  action: 'opportunity.win',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity'), value: Value }),
  record: z.object({ id: id('opportunity'), value: Value }),
  example: { opportunityId: exampleId, value: 4800 },
});

export const opportunityLost = event('opportunity.lost', {
  group: 'opportunities',
  description: 'A deal is marked lost',
  action: 'opportunity.lose',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity'), reason: text(500) }),
  record: z.object({ id: id('opportunity') }),
  example: { opportunityId: exampleId, reason: 'price' },
});
