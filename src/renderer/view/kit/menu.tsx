import { useRef, useState, type ReactNode } from 'react';
import { DropdownMenu } from 'radix-ui';
import { Check } from 'lucide-react';
import { Keys } from './button';
import s from './menu.module.css';

interface MenuProps {
  trigger: ReactNode;
  children: ReactNode;
  align?: 'start' | 'end';
  side?: 'top' | 'bottom';
  label: string;
}

/**
 * A menu on a button. Not modal: a modal one would write a style sheet into the page, which its policy forbids. It opens
 * within the part of the window that its button belongs to: a dialog makes everything outside of it dead.
 */
export function Menu({ trigger, children, align = 'start', side = 'bottom', label }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [home, setHome] = useState<HTMLElement | null>(null);
  return (
    <DropdownMenu.Root
      modal={false}
      onOpenChange={(open) => {
        if (open) setHome(button.current?.closest<HTMLElement>('dialog, nav, main') ?? null);
      }}
    >
      <DropdownMenu.Trigger asChild ref={button}>
        {trigger}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={home}>
        <DropdownMenu.Content
          className={s['menu']}
          aria-label={label}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface ItemProps {
  icon?: ReactNode;
  onSelect: () => void;
  children: ReactNode;
  hint?: ReactNode;
  keys?: string;
  tone?: 'bad';
  disabled?: boolean;
  checked?: boolean;
  /** The menu stays open, for one of several that can be chosen together. */
  stays?: boolean;
}

export function MenuItem({
  icon,
  onSelect,
  children,
  hint,
  keys,
  tone,
  disabled,
  checked,
  stays = false,
}: ItemProps) {
  const content = (
    <>
      <span className={s['icon']}>{checked ? <Check size="1rem" /> : icon}</span>
      <span className={s['text']}>
        {children}
        {hint !== undefined && <small>{hint}</small>}
      </span>
      {keys && <Keys keys={keys} />}
    </>
  );
  const shared = {
    className: s['item'],
    disabled: disabled ?? false,
    onSelect: (event: Event) => {
      if (stays) event.preventDefault();
      onSelect();
    },
    'data-tone': tone,
  };
  if (checked === undefined) return <DropdownMenu.Item {...shared}>{content}</DropdownMenu.Item>;
  return (
    <DropdownMenu.CheckboxItem {...shared} checked={checked}>
      {content}
    </DropdownMenu.CheckboxItem>
  );
}

export const MenuLine = () => <DropdownMenu.Separator className={s['line']} />;
export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <DropdownMenu.Label className={s['label']}>{children}</DropdownMenu.Label>
);
