import type { Language } from './brief.ts';

// Words that are frequent in one of the languages, and rare in the other one.
const words: Record<Language, Set<string>> = {
  en: new Set(
    `the and you your yours with for of to is are that this these we our from it its how what when where who can not no be
    or by on at as if do does get has have here there they them their more than before after about all new now see ready`.split(
      /\s+/,
    ),
  ),
  de: new Set(
    `der die das den dem des und oder sie ihr ihre ihrem ihren ihnen mit für von zu zum zur ist sind wir unser unsere unserer
    unseren aus auf ein eine einen einem einer wie wird kann nicht kein keine bei nach vor über du dein deine deinen deinem
    dir dich euch noch jetzt ab bis im am es wenn warum wann wo hier auch nur sich`.split(/\s+/),
  ),
};

/** The language of a text; undefined if it has no words by which it can be recognized. */
export function languageOf(text: string): Language | undefined {
  const found = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const english = found.filter((word) => words.en.has(word)).length;
  const german = found.filter((word) => words.de.has(word) || /[äöüß]/.test(word)).length;
  if (english === german) return undefined;
  return english > german ? 'en' : 'de';
}
