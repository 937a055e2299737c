// Generates text and structured data with a chat-completion provider, or from deterministic templates without one.
export { type Ai, createAi, type SchemaTask, type Source, type Task } from './ai.ts';
export { SchemaError } from './schema-error.ts';
export { type AiSettings, aiSettings } from './settings.ts';
