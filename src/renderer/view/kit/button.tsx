import { useRef, useState, type ButtonHTMLAttributes, type ReactNode, type Ref } from 'react';
import { Tooltip } from 'radix-ui';
import { keyParts } from './keys';
import s from './button.module.css';

type Look = 'primary' | 'plain' | 'ghost' | 'danger' | 'quiet';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  size?: 's' | 'm';
  icon?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

const names = (...all: (string | undefined | false)[]) => all.filter(Boolean).join(' ');

export function Button({ look = 'plain', size = 'm', icon, className, children, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} className={names(s['button'], s[look], s[size], className)}>
      {icon}
      {children !== undefined && <span className={s['label']}>{children}</span>}
    </button>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What it does: its accessible name and its tooltip. */
  label: string;
  keys?: string;
  icon: ReactNode;
  size?: 's' | 'm';
  side?: 'top' | 'bottom' | 'left' | 'right';
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({
  label,
  keys,
  icon,
  size = 'm',
  side = 'bottom',
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tip text={label} side={side} {...(keys && { keys })}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={names(s['icon'], s[`icon-${size}`], className)}
      >
        {icon}
      </button>
    </Tip>
  );
}

interface TipProps {
  text: string;
  keys?: string;
  side?: 'top' | 'bottom' | 'left' | 'right';
  children: ReactNode;
}

/** A tooltip for something that has an accessible name of its own. */
export function Tip({ text, keys, side = 'bottom', children }: TipProps) {
  const target = useRef<HTMLButtonElement>(null);
  const [home, setHome] = useState<HTMLElement | null>(null);
  return (
    <Tooltip.Root
      onOpenChange={(open) => {
        // What lies outside of an open dialog is behind it.
        if (open) setHome(target.current?.closest('dialog') ?? null);
      }}
    >
      <Tooltip.Trigger asChild ref={target}>
        {children}
      </Tooltip.Trigger>
      <Tooltip.Portal container={home}>
        <Tooltip.Content className={s['tip']} side={side} sideOffset={6} collisionPadding={8}>
          {text}
          {keys && <Keys keys={keys} />}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

export function Keys({ keys }: { keys: string }) {
  return (
    <span className={s['keys']}>
      {keyParts(keys).map((part) => (
        <kbd key={part}>{part}</kbd>
      ))}
    </span>
  );
}
