import type { Source } from '@tandem/ai';
import { type ai, Sequence } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { Handler, Tools } from '../../handler.ts';
import { sequenceErrors } from './checks.ts';
import { generationSettings } from './generation-settings.ts';
import { promptText } from './prompt-text.ts';
import { emailCountOf, sequenceTemplate } from './templates/sequence.ts';

const instructions = `You design e-mail sequences for a marketing platform.
A sequence is a graph: exactly one node of type trigger, from which every node is reachable along the edges, and no cycles.
Node types: trigger (data: label, triggerType), email (label, subjectLine), wait (label, duration, durationUnit) and
condition (label, conditionField; its first outgoing edge is yes, its second no). Put a wait between e-mails. Every
nodeId and edgeId is unique. Positions are pixels; place the nodes from top to bottom, 150 apart.`;

type Generated = { output: z.output<typeof Sequence>; source: Source };

export const generateSequence = (tools: Tools): Handler<typeof ai.generateSequence, Generated> => ({
  async check({ body: requested, caller }) {
    const { apiKey, tone } = await generationSettings(tools, caller);
    const body = { ...requested, tone: requested.tone ?? tone };
    return tools.ai.generate({
      apiKey,
      name: 'sequence',
      instructions,
      prompt: promptText(body.prompt, {
        Industry: body.industry,
        Tone: body.tone,
        'Number of e-mails': String(emailCountOf(body)),
      }),
      schema: Sequence,
      check: sequenceErrors,
      template: () => sequenceTemplate(body),
    });
  },
  run({ found, header }) {
    header('X-AI-Source', found.source);
    return found.output;
  },
});
