// Generates text and structures with a chat-completion provider, or from deterministic templates when there is none.
export { type Ai, createAi, type SchemaTask, type Source, type Task } from './ai.ts';
export { type ReadSchema, readSchema, SchemaError, smallestInstance } from './schema.ts';
export { type AiSettings, aiSettings } from './settings.ts';
