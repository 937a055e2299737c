// Generates text and structured data with a chat-completion provider, or from deterministic templates without one, and has
// texts embedded as vectors of their meaning.

export { type Ai, createAi, type SchemaTask, type Task } from './ai.ts';
export type { Source } from './asked.ts';
export type { Conversation, Conversed, TokenLimit, Tool, TracedCall } from './converse.ts';
export { createEmbedding, type Embedded, type Embedding, embeddingTextsMax, estimatedTokens } from './embedding.ts';
export { SchemaError } from './schema-error.ts';
export { type AiSettings, agentAiSettings, aiSettings, type EmbeddingSettings, embeddingSettings } from './settings.ts';
