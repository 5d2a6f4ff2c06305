import { Brain, Flag, MessageSquareText, SquareTerminal, UserRound, Wrench } from 'lucide-react';
import type { SearchPart } from '../../../shared/contract/search';

/** Each kind of text by an icon and a word, one and many. */
export const PART: Record<SearchPart, { icon: typeof Brain; one: string; many: string }> = {
  prompt: { icon: UserRound, one: 'Prompt', many: 'Prompts' },
  answer: { icon: MessageSquareText, one: 'Answer', many: 'Answers' },
  thinking: { icon: Brain, one: 'Thinking', many: 'Thinking' },
  input: { icon: Wrench, one: 'Tool input', many: 'Tool inputs' },
  result: { icon: SquareTerminal, one: 'Tool output', many: 'Tool outputs' },
  end: { icon: Flag, one: 'End', many: 'Ends' },
};
export const PARTS = Object.keys(PART) as SearchPart[];
