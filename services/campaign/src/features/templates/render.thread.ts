import { serveTasks } from '@tandem/workers/serve';
import {
  type ContentField,
  type RenderedTemplate,
  renderTemplate,
  type TemplateContent,
  TemplateError,
} from './render.ts';

const tasks = {
  /** Renders a template; errors are values, because their class is lost between threads. */
  render({
    content,
    data,
  }: {
    content: TemplateContent;
    data: Record<string, unknown>;
  }): { rendered: RenderedTemplate } | { error: { field: ContentField; message: string } } {
    try {
      return { rendered: renderTemplate(content, data) };
    } catch (error) {
      if (error instanceof TemplateError) return { error: { field: error.field, message: error.message } };
      throw error;
    }
  },
};

export type RenderingTasks = typeof tasks;

serveTasks(tasks);
