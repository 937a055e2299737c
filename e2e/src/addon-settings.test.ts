import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { addonSettings, metaOfSetting } from '@tandem/identity-contract';
import type { z } from 'zod';

const services = resolve(import.meta.dirname, '../../services');

const settings = Object.entries(addonSettings).flatMap(([key, { shape }]) =>
  Object.entries<z.ZodType>(shape).map(([name, schema]) => [`${key}.${name}`, key, name, schema] as const),
);

it.each(settings)('the setting %s of an addon is read by each service that it names', (_, key, name, schema) => {
  const { readers } = metaOfSetting(schema);
  expect(readers.length).toBeGreaterThan(0);
  for (const reader of readers) {
    const sources = resolve(services, reader, 'src');
    expect(existsSync(sources)).toBe(true);
    const texts = readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('generated'))
      .map((file) => readFileSync(resolve(sources, file), 'utf8'));
    expect(texts.some((text) => text.includes(`'${key}'`))).toBe(true);
    expect(texts.some((text) => new RegExp(`\\b${name}\\b`).test(text))).toBe(true);
  }
});
