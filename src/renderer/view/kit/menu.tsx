import { createContext, use, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { ContextMenu, DropdownMenu } from 'radix-ui';
import { Check } from 'lucide-react';
import { Keys } from './button';
import s from './menu.module.css';

/** What an entry is made of: the same entries are shown by a button and by a right click. */
const Parts =
  createContext<Pick<typeof DropdownMenu, 'Item' | 'CheckboxItem' | 'Separator' | 'Label'>>(DropdownMenu);

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

/**
 * The same menu at the pointer, on a right click, and with the menu key or Shift+F10 on what has the focus within
 * `children`, one element. Where text is chosen or typed and on links, the browser's own menu has what is looked for.
 */
export function MenuHere({
  children,
  label,
  entries,
}: {
  children: ReactElement;
  label: string;
  entries: ReactNode;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [home, setHome] = useState<HTMLElement | null>(null);
  return (
    <ContextMenu.Root
      modal={false}
      onOpenChange={(open) => {
        if (open) setHome(place.current?.closest<HTMLElement>('dialog, nav, main') ?? null);
      }}
    >
      <ContextMenu.Trigger
        asChild
        ref={place}
        onContextMenuCapture={(event) => {
          if (isForBrowser(event.target as HTMLElement)) event.stopPropagation();
        }}
      >
        {children}
      </ContextMenu.Trigger>
      <ContextMenu.Portal container={home}>
        <ContextMenu.Content
          className={s['menu']}
          aria-label={label}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            // An entry may have opened a field, which has the focus now.
            if (document.activeElement !== document.body) event.preventDefault();
          }}
        >
          <Parts value={ContextMenu}>{entries}</Parts>
        </ContextMenu.Content>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  );
}

function isForBrowser(target: HTMLElement): boolean {
  if (target.closest('a, input, textarea, [role="menu"]')) return true;
  const chosen = window.getSelection();
  return chosen !== null && !chosen.isCollapsed && chosen.containsNode(target, true);
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
  const { Item, CheckboxItem } = use(Parts);
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
  if (checked === undefined) return <Item {...shared}>{content}</Item>;
  return (
    <CheckboxItem {...shared} checked={checked}>
      {content}
    </CheckboxItem>
  );
}

export function MenuLine() {
  const { Separator } = use(Parts);
  return <Separator className={s['line']} />;
}
export function MenuLabel({ children }: { children: ReactNode }) {
  const { Label } = use(Parts);
  return <Label className={s['label']}>{children}</Label>;
}
