/** The origin of a result. */
export type Source = 'model' | 'template';

/** The request of a generation to the model, whatever its output. */
export interface Asked {
  /** Name of the task in the log and for the provider: letters, digits, `_` and `-`. */
  name: string;
  /** Our instructions to the model. */
  instructions: string;
  /** The caller's prompt. */
  prompt: string;
  /** The tenant's API key for the provider, used instead of the configured one. */
  apiKey?: string | undefined;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
}
