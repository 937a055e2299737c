import { SchemaError, type Source } from '@tandem/ai';
import type { ai } from '@tandem/campaign-contract';
import { type Context, failField } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { generationSettings } from './generation-settings.ts';
import { textTemplate } from './templates/text.ts';

const instructions = 'You write content for the users of a marketing and sales platform. Follow the prompt.';

type Generated = { output: unknown; source: Source };
type OperationContext = Context<typeof ai.generateContent, Tx>;

/** Handles the current operation and its deprecated alias, so it uses only the fields that both have. */
export const generateContent = (tools: Tools) => ({
  async check({ body, caller }: Pick<OperationContext, 'body' | 'caller'>): Promise<Generated> {
    const { prompt, responseSchema: schema, context, maxTokens, temperature } = body;
    const contextText = context ? `\n\nContext:\n${JSON.stringify(context)}` : '';
    const { apiKey } = await generationSettings(tools, caller);
    try {
      return await tools.ai.generateBySchema({
        apiKey,
        name: 'content',
        instructions,
        prompt: `${prompt}${contextText}`,
        schema,
        maxTokens,
        temperature,
        tenantId: caller.tenantId,
        template: () => textTemplate(body),
      });
    } catch (error) {
      if (error instanceof SchemaError) throw failField('responseSchema', error.message);
      throw error;
    }
  },
  run({ found: { output, source }, header }: Pick<OperationContext, 'header'> & { found: Generated }) {
    header('X-AI-Source', source);
    return { output };
  },
});
